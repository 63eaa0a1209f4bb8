export const frame = {
  rooms: {
    label: 'Views of the console',
    attempts: 'Attempts',
    phone: 'Real phone',
    people: 'People',
    outcomes: 'Outcomes',
    clock: 'Clock',
    faults: 'Faults',
    reset: 'Reset',
    reference: 'Reference',
  },
  live: 'Connected',
  connecting: 'Connecting',
  away: 'The connection is lost, and the page tries again',
  scope: 'Scope: {scope}',
  phone: 'Simulated phone',
  missing: { title: 'No page has this address', back: 'To the attempts' },
  unreachable: 'The simulator can’t be reached.',
  fault: 'That did not work: {message}',
  token: {
    title: 'The simulator asks for its token',
    text: 'Type the {name} that it was started with. It stays in this tab.',
    field: 'Token of the simulator',
    send: 'Go on',
    wrong: 'The simulator did not take this token.',
    scan: 'An address with a code that is good once needs no token: the banner of npm start -- --lan has one, and an open console makes more under “Real phone”.',
    code: {
      refused:
        'The code in the address was used already, or is more than two minutes old. Take a new one from a console that is open, or start the service again.',
      later: 'There were too many wrong codes. Wait a minute, then open an address with a new one.',
    },
  },
};
