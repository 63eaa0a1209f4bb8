/**
 * The `data-testid` of every control and result that users' browser tests may rely on. They are
 * part of the public interface: never rename one.
 */
export const testIds = {
  /** The radio button of one person on the sign-in page. */
  person: (id: string): string => `person-${id}`,
  /** The button that leads to the provider. */
  launch: 'launch',
  approve: 'approve',
  refuse: 'refuse',
  notMe: 'not-me',
  /** The only button of the page that sends the browser on by a form. */
  continue: 'continue',
  /** On the dashboard stand-in, as plain text. */
  attemptId: 'attempt-id',
  completionCode: 'completion-code',
  /** The link to the application on a page where a sign-in ends. */
  back: 'back',
  /** On the home page: the buttons of "Sign in now", what they show, and the person's decisions. */
  trialBrowser: 'trial-browser',
  trialPhone: 'trial-phone',
  reserved: (nationalId: string): string => `reserved-${nationalId}`,
  trialProgress: 'trial-progress',
  trialNumber: 'trial-number',
  wrongNumber: 'wrong-number',
  trialToken: 'trial-token',
  trialName: 'trial-name',
  /** The link to the phone; on the phone: whose prompts are shown, one prompt, and what is done with it. */
  phone: 'phone',
  phoneOf: 'phone-of',
  prompt: (id: string): string => `prompt-${id}`,
  number: (number: string): string => `number-${number}`,
  typedNumber: 'typed-number',
  ignore: 'ignore',
  phoneStatus: 'phone-status',
  phoneEmpty: 'phone-empty',
  simulatorToken: 'simulator-token',
  /** The link to the same page in the other language. */
  language: 'language',
} as const;
