export const reset = {
  title: 'Reset',
  lead: 'The scope {scope} is as at the start. No other scope changes.',
  does: 'What happens',
  people: 'People: who was removed comes back, who was added goes, who was changed is as before',
  queue: 'The queue of outcomes is emptied',
  faults: 'All faults end',
  waiting:
    'What waits on the phone or in a browser is not seen by anybody any more, and another can be started',
  timeLines:
    'Time lines lose the calls of the application that were recorded, and what the coach has noticed in them',
  imported: 'Attempts that were imported from files go',
  stays: 'What stays',
  attempts:
    'The list of your application’s attempts, and its API tokens, because it may hold them. What waits expires',
  clock: 'The clock, which all scopes share',
  button: 'Reset the scope',
  sure: 'Reset the scope {scope}?',
  sureText: 'This can’t be undone. If you have changed the people, save them as a file first.',
  said: 'The scope is reset. So many waited for an answer: {count}.',
};
