/**
 * The server-rendered pages of the service and of the simulator, in Arabic and English. Where a
 * page has a script it works without it too, except for the phone.
 */
export { applicationScheme } from './address.ts';
export { applicationPage, type ApplicationPage } from './application.ts';
export { assets, type Asset } from './assets.ts';
export { consoleFiles } from './console-files.ts';
export { scopeFaultPage } from './scope-fault.ts';
export { consoleMissingPage, consolePage, type ConsolePage } from './console.ts';
export {
  contentSecurityPolicy,
  type FormAction,
  type PolicyOptions,
} from './content-security-policy.ts';
export { dashboardPage, type DashboardPage } from './dashboard.ts';
export { endedPage, type EndedKind, type EndedPage } from './ended.ts';
export { designPage, type DesignPage } from './design.ts';
export {
  errorIndexPage,
  errorPage,
  type ErrorEntry,
  type ErrorIndexPage,
  type ErrorPage,
  type ErrorPlace,
} from './errors.ts';
export { handOverPage, type HandOverPage } from './hand-over.ts';
export { homePage, type HomeLinks, type HomePage, type TrialStep } from './home.ts';
export { launchPage, numberPage, type LaunchPage } from './launch.ts';
export { logoutPage, type LogoutPage } from './logout.ts';
export type { LanguageLinks, Locale, Localized } from './locale.ts';
export type { Page } from './document.ts';
export type { DocumentKind, Person } from './people.ts';
export { phonePage, type PhonePage } from './phone.ts';
export { strictHomePage } from './strict-home.ts';
export { MOST_SHOWN, signInPage, type Decision, type SignInPage } from './sign-in.ts';
export { redirectHeader, redirectPage, type RedirectPage } from './redirect.ts';
export type { ReservedNumber } from './trial.ts';
export { testIds } from './test-ids.ts';
