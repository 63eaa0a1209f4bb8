export const attempts = {
  title: 'Attempts',
  search: 'Search by id, application, person, state or reason',
  flow: 'Way of signing in',
  everyFlow: 'Both ways',
  state: 'State',
  everyState: 'All',
  noClient: 'An application without a name',
  loading: 'Reading older attempts…',
  refused:
    'A start that the service refused itself is not listed, because it has no attempt. Its answer says why, and the line “request” in the log of the service has its code. In strict mode one that the identity provider or a budget of pushes refused is listed as failed.',
  nothing: {
    text: 'No attempt matches “{text}”.',
    chosen: 'No attempt matches this choice.',
    elsewhere: 'None in this state. In other states: {count}.',
    clear: 'Show all attempts',
  },
  empty: {
    title: 'No attempt has begun yet',
    text: 'Copy one of these lines into a terminal, and the attempt appears here within a second.',
    byPhone: 'A sign-in by phone',
    byBrowser: 'A sign-in by browser',
    pages: 'Or begin on {home}, and answer what waits on {phone}.',
    home: 'the home page',
    elsewhere:
      'This simulator runs by itself: attempts of the service that is set up to call it appear here, as soon as an application starts one.',
    phoneAlone: 'What waits is answered on {phone}.',
  },
};
