/** The `data-testid` of what tests look for in the console. */
export const testIds = {
  /** The link to a room in the navigation; the path of the first one is empty. */
  room: (path: string): string => `room-${path === '' ? 'attempts' : path}`,
  /** The field for `SIMULATOR_TOKEN`. */
  token: 'simulator-token',
} as const;
