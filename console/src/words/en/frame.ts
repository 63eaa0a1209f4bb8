export const frame = {
  rooms: {
    label: 'Rooms of the console',
    attempts: 'Attempts',
  },
  live: 'Live',
  connecting: 'Connecting',
  away: 'The connection is lost, and the page tries again',
  scope: 'Scope',
  phone: 'Simulated phone',
  missing: { title: 'No room has this address', back: 'To the attempts' },
  unreachable: 'The simulator can’t be reached.',
  fault: 'That did not work: {message}',
  token: {
    title: 'The simulator asks for its token',
    text: 'Type the {name} that it was started with. It stays in this tab.',
    field: 'Token of the simulator',
    send: 'Go on',
    wrong: 'The simulator did not take this token.',
  },
};
