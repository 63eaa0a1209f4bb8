import { string } from '@miftah/schema';

/**
 * The headers by which a test chooses, in simulator mode. Described here and read by a
 * `ScenarioReader`. They have no `examples`: the API reader would send those with every start.
 */
export const SCENARIO_HEADERS = {
  'X-Simulate': string({
    description:
      'What the person or the provider does in this attempt: the key of an outcome of ' +
      '`GET /simulator/outcomes`, and for some of them after how many seconds: `refuses;after=3`.',
  }),
  'X-Miftah-Scope': string({
    description: 'The scope of the attempt: 1 to 64 of `a-z`, `0-9` and hyphen, as in `worker-1`.',
  }),
} as const;
