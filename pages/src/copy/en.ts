import type { Copy } from './shape.ts';

/** The English words of the pages. `{name}` is a place that the page fills. */
export const en: Copy = {
  languageName: 'English',
  product: 'Miftah',
  footer: 'Miftah: an authentication service that you host yourself.',
  simulation: {
    title: 'This is a simulation.',
    text: 'All people are invented, and no real identity is involved.',
  },
  documents: {
    citizen: 'National ID',
    resident: 'Resident ID',
    visitor: 'Visa number',
    border: 'Border number',
  },
  signIn: {
    title: 'Sign in',
    request: '{service} has asked for a sign-in. Choose a person, then approve or refuse.',
    who: 'Who are you?',
    defaultPerson: 'Default',
    approve: 'Approve',
    refuse: 'Refuse',
    notMe: 'Not me',
    notMeHint: 'Choose “Not me” if you did not start this request yourself.',
    attempt: 'Attempt id',
    expires: 'Expires at',
    utc: '{time} UTC',
  },
  handOver: {
    title: 'One step left',
    text: 'Your answer has been recorded. Continue to go back to the application you came from.',
    next: 'Continue',
  },
  launch: {
    title: 'Sign in to {service}',
    text: 'You will confirm your identity at the national identity provider, and then come back.',
    warning: 'Go on only if you have just asked {service} to sign you in, in this browser.',
    button: 'Continue to the identity provider',
    rehearsal: 'This is a rehearsal: the provider is a simulator.',
  },
  ended: {
    next: 'What to do',
    back: 'Back to the application',
    unknown: {
      title: 'This request cannot be continued',
      text: 'The link is wrong, or the request is no longer open.',
      next: 'Go back to the application you came from and start the sign-in again.',
    },
    expired: {
      title: 'The request has expired',
      text: 'A sign-in request is valid for five minutes, and they have passed.',
      next: 'Go back to the application you came from and start the sign-in again.',
    },
    authenticated: {
      title: 'The sign-in is complete',
      text: 'This request has already been approved and cannot be used again.',
      next: 'Go back to the application to continue, and close this page.',
    },
    rejected: {
      title: 'The request was refused',
      text: 'Nobody was signed in, and no data was sent to the application.',
      next: 'If you do want to sign in, start again from the application. Otherwise there is nothing to do.',
    },
    failed: {
      title: 'The sign-in did not succeed',
      text: 'Something went wrong while the identity was being checked.',
      next: 'Start the sign-in again from the application. If it keeps failing, tell the people who run it.',
    },
    browser_mismatch: {
      title: 'Finish the sign-in in the browser where it began',
      text: 'This link was opened in another browser than the one that started the request. We refused it to protect you.',
      next: 'Go back to the first browser, or start the sign-in again in this one.',
    },
    rate_limited: {
      title: 'Too many requests in a short time',
      text: 'The number of requests has passed the limit.',
      next: 'Wait a minute, then try again.',
    },
    unavailable: {
      title: 'The service is not available right now',
      text: 'The identity provider could not be reached.',
      next: 'Wait a little, then start the sign-in again from the application.',
    },
  },
  dashboard: {
    title: 'You are signed in',
    text: 'This page stands in for the page of your application that people return to after signing in.',
    attempt: 'Attempt id',
    completionCode: 'Completion code',
    completionCodeHint: 'Valid for two minutes, and only once.',
    next: 'What does the application do next?',
    exchange:
      'It sends {operation} with the {token} that it received when the attempt started, and the {code} shown here.',
    answer: 'The service answers with a {bearer} token and the user record.',
    tryIt: 'Do it yourself',
    tryItHint: 'Put your attempt token in place of {placeholder}.',
    faults: {
      unknown_attempt: {
        title: 'There is no such attempt',
        text: 'No attempt has begun under the identifier in the address of this page, or it ended long ago and was deleted. Start a new one.',
      },
      unknown_code: {
        title: 'The completion code is not accepted',
        text: 'The completion code in the address of this page is not the one of this attempt, or is more than two minutes old. Start a new attempt.',
      },
    },
    empty: {
      title: 'Where a sign-in ends',
      text: 'People return to this page after signing in. Start an attempt and approve it to see the result here.',
    },
  },
  errors: {
    indexTitle: 'Error catalogue',
    indexText:
      'Every error that the service can answer with: what causes it, and what to do about it.',
    code: 'Code',
    status: 'HTTP status',
    whatHappened: 'What happened',
    whatToDo: 'What to do',
    all: 'All errors',
  },
  home: {
    title: 'An authentication service that you host yourself',
    text: 'Your application starts a sign-in attempt, the person proves who they are at a national identity provider, and the application exchanges the finished attempt for an API token and a user record.',
    baseUrl: 'API base address',
    mode: 'Mode',
    modes: { simulator: 'Simulator', live: 'Live provider' },
    links: 'Links',
    docs: { title: 'Documentation', text: 'Every operation, what it takes and answers' },
    openapi: { title: 'OpenAPI document', text: 'The contract in a form that tools read' },
    errors: { title: 'Error catalogue', text: 'What each error means and what to do' },
    people: 'Test people',
    peopleText: 'Invented people whom you can sign in as.',
    name: 'Name',
    nationalId: 'ID number',
    tryIt: 'Try it from a terminal',
  },
};
