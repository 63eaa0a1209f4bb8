/** Lists everything that is wrong with the settings. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`${faults.length} of the settings can't be used:\n  - ${faults.join('\n  - ')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
