/** The `data-testid` of what tests look for in the console. */
export const testIds = {
  /** The link to a room in the navigation; the path of the first one is empty. */
  room: (path: string): string => `room-${path === '' ? 'attempts' : path}`,
  /** Whether the page hears of what happens. */
  connection: 'connection',
  /** One attempt in the list. */
  attempt: (id: string): string => `attempt-${id}`,
  /** Shown while there is no attempt. */
  empty: 'attempts-empty',
  flow: 'flow',
  /** The button of a state; the empty one shows all. */
  state: (state: string): string => `state-${state === '' ? 'all' : state}`,
  /** On the page of one attempt. */
  attemptState: 'attempt-state',
  findings: 'findings',
  timeLine: 'time-line',
  entry: (number: number): string => `entry-${number}`,
  /** Entries that are folded into one line, by the number of the first. */
  repeated: (number: number): string => `repeated-${number}`,
  unfold: 'unfold',
  replay: 'replay',
  exported: 'export',
  copyCurl: 'copy-curl',
  copyClient: 'copy-client',
  toPhone: 'to-phone',
  /** The field for a file, and why a file was not taken. */
  importFile: 'import-file',
  importFault: 'import-fault',
  /** The field for `SIMULATOR_TOKEN`. */
  token: 'simulator-token',
  /** On your phone: the symbol to scan, its address as text, and why there is none. */
  symbol: 'symbol',
  phoneAddress: 'phone-address',
  copyAddress: 'copy-address',
  anotherCode: 'another-code',
  noSymbol: 'no-symbol',
  /** Why the code of the page's address let nobody in. */
  codeRefused: 'code-refused',
  /** What was done, for people. */
  said: 'said',
  /** In a question that is asked first: do it. */
  yes: 'yes',
  search: 'search',
  person: (id: string): string => `person-${id}`,
  addPerson: 'add-person',
  changePerson: (id: string): string => `change-${id}`,
  removePerson: (id: string): string => `remove-${id}`,
  personForm: 'person-form',
  savePerson: 'save-person',
  morePeople: 'more-people',
  savePeople: 'save-people',
  loadPeople: 'load-people',
  peopleFile: 'people-file',
  takeFile: 'take-file',
  outcome: (key: string): string => `outcome-${key}`,
  /** The button that starts a sign-in with the outcome. */
  tryIt: (key: string): string => `try-${key}`,
  next: (key: string): string => `next-${key}`,
  copyNumber: (key: string): string => `copy-number-${key}`,
  copyHeader: (key: string): string => `copy-header-${key}`,
  /** Seconds until the person acts. */
  after: 'after',
  queue: 'queue',
  clearQueue: 'clear-queue',
  clockNow: 'clock-now',
  clockState: 'clock-state',
  /** Why the clock can’t be moved. */
  clockFixed: 'clock-fixed',
  /** What a long move removes. */
  clockKeeps: 'clock-keeps',
  clockReset: 'clock-reset',
  advance: (time: string): string => `advance-${time}`,
  advanceBy: 'advance-by',
  freezeNow: 'freeze-now',
  freezeAt: 'freeze-at',
  skewBy: 'skew-by',
  addFault: 'add-fault',
  rule: (number: number): string => `rule-${number}`,
  removeRule: (number: number): string => `remove-rule-${number}`,
  repeatFaults: 'repeat-faults',
  clearFaults: 'clear-faults',
  reset: 'reset',
  operation: (id: string): string => `operation-${id}`,
  copyCommand: (id: string): string => `copy-command-${id}`,
} as const;
