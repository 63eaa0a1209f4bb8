/**
 * The `data-testid` of every control and result that users' browser tests may rely on. They are
 * part of the public interface: never rename one.
 */
export const testIds = {
  /** The radio button of one person on the sign-in page. */
  person: (id: string): string => `person-${id}`,
  /** On the sign-in page, where it does not show everybody. */
  searchPeople: 'search-people',
  /** The button that leads to the provider. */
  launch: 'launch',
  /** The number to match, on the page that waits for a phone. */
  pushNumber: 'push-number',
  /** The button that ends what a sign-in gave. */
  logOut: 'log-out',
  approve: 'approve',
  refuse: 'refuse',
  notMe: 'not-me',
  /** The only button of a page that sends the browser on by a form. */
  continue: 'continue',
  /** The only link of a page that sends the browser on. */
  onward: 'onward',
  /** On the dashboard stand-in, as plain text. */
  attemptId: 'attempt-id',
  completionCode: 'completion-code',
  /** The link to the application on a page where a sign-in ends. */
  back: 'back',
  /** The link that makes a request once more, after an outage. */
  again: 'again',
  /** On the home page: the buttons of "Sign in now", what they show, and the person's decisions. */
  trialBrowser: 'trial-browser',
  trialPhone: 'trial-phone',
  reserved: (nationalId: string): string => `reserved-${nationalId}`,
  trialProgress: 'trial-progress',
  trialNumber: 'trial-number',
  wrongNumber: 'wrong-number',
  trialToken: 'trial-token',
  trialName: 'trial-name',
  /** On the home page: the links to the console and to the phone. The next nine are on the phone. */
  console: 'console',
  phone: 'phone',
  /** Selects the person whose prompts are shown. */
  phoneOf: 'phone-of',
  /** The page of the error that the trial has ended with. */
  trialError: 'trial-error',
  /** That it is a simulation, and how many prompts are shown. */
  phoneCount: 'phone-count',
  /** One prompt. */
  prompt: (id: string): string => `prompt-${id}`,
  /** In a prompt: the button of one of the numbers to pick from. */
  number: (number: string): string => `number-${number}`,
  /** In a prompt: the field for a number that is typed. */
  typedNumber: 'typed-number',
  /** In a prompt: the button that leaves it without an answer. */
  ignore: 'ignore',
  /** What has become of the last answer. */
  phoneStatus: 'phone-status',
  /** Shown while there is no prompt. */
  phoneEmpty: 'phone-empty',
  /** The field for `SIMULATOR_TOKEN`. */
  simulatorToken: 'simulator-token',
  /** The link to the same page in the other language. */
  language: 'language',
  /** Why a page for operators is not shown. */
  operatorFault: 'operator-fault',
} as const;
