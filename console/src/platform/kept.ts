// The phone's page has the same name: a token is typed once for the pages of a tab.
const TOKEN = 'miftah.simulator-token';

/** The token of the control API, for as long as the tab is open. */
export const keptToken = {
  read: (): string | null => sessionStorage.getItem(TOKEN),
  write: (token: string): void => sessionStorage.setItem(TOKEN, token),
};
