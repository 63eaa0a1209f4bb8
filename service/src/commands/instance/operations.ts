/**
 * The operations of the control API that commands use, by their `operationId` in
 * `/simulator/openapi.json`. A test compares them with the document of a running instance.
 */
export const OPERATIONS = {
  listPrompts: { method: 'GET', path: '/simulator/prompts' },
  decidePrompt: { method: 'POST', path: '/simulator/prompts/{id}/decision' },
  waitUntil: { method: 'GET', path: '/simulator/wait' },
  listAttempts: { method: 'GET', path: '/simulator/attempts' },
  readAttempt: { method: 'GET', path: '/simulator/attempts/{id}' },
  replayAttempt: { method: 'POST', path: '/simulator/attempts/{id}/replay' },
  listPeople: { method: 'GET', path: '/simulator/people' },
  readPerson: { method: 'GET', path: '/simulator/people/{id}' },
  putPerson: { method: 'PUT', path: '/simulator/people/{id}' },
  removePerson: { method: 'DELETE', path: '/simulator/people/{id}' },
  resetScope: { method: 'POST', path: '/simulator/reset' },
  listOutcomes: { method: 'GET', path: '/simulator/outcomes' },
  readClock: { method: 'GET', path: '/simulator/clock' },
  moveClock: { method: 'POST', path: '/simulator/clock' },
  listNext: { method: 'GET', path: '/simulator/next' },
  queueNext: { method: 'POST', path: '/simulator/next' },
  clearNext: { method: 'DELETE', path: '/simulator/next' },
  listFaults: { method: 'GET', path: '/simulator/faults' },
  setFaults: { method: 'PUT', path: '/simulator/faults' },
  listKeys: { method: 'GET', path: '/simulator/keys' },
  announceKey: { method: 'POST', path: '/simulator/keys/announce' },
  rotateKeys: { method: 'POST', path: '/simulator/keys/rotate' },
  createSessionCode: { method: 'POST', path: '/simulator/session-codes' },
} as const;

export type OperationId = keyof typeof OPERATIONS;
