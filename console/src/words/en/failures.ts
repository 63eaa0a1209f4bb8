/** What errors of the control API mean to whoever uses a page, by their codes. */
export const failures = {
  'session.code_refused': 'This code lets nobody in: it is good once, for two minutes.',
  'session.code_limit_reached': 'There were too many wrong codes. Wait a minute.',
  'simulator.foreign_origin': 'Only pages of the simulator itself may do this.',
  'attempt.not_found': 'There is no such attempt in this scope. It may have been removed.',
  'attempts.elsewhere':
    'This simulator runs by itself, and can’t start anything: start the sign-in at the service that calls it.',
  'prompt.not_found': 'This request is not known any more.',
  'prompt.ended': 'This request has ended, and can’t be answered again.',
  'people.not_found': 'There is no such person in this scope.',
  'people.default': 'The default person can’t be removed. Make another one the default first.',
  'person.not_found': 'There is no such person in this scope.',
  'scopes.full': 'There is no place for more changes. Reset a scope that is not needed any more.',
  'next.full':
    'The queue of this scope is full. Empty it, or start attempts that take what is in it.',
  'clock.of_instance': 'All scopes have one clock. Move it from the default scope.',
  'clock.shared': 'The time is the database’s, for all instances, and can’t be moved.',
  rate_limited: 'There were too many starts. Wait a minute.',
  'replay.refused': 'This sign-in can’t be started again.',
  'request.body_too_large': 'This is too large for the simulator.',
  'request.malformed_json': 'This is not valid JSON.',
  'request.misdirected': 'The simulator does not know itself by this host name.',
  'provider.unavailable':
    'A fault that is set has refused this. Remove the fault, and do it again.',
  'stream.limit_reached': 'Too many pages watch this simulator. Close some of them.',
  'wait.limit_reached': 'Too many calls wait at this simulator. End some of them.',
  'server.error': 'The simulator has failed. Its log says why.',
};
