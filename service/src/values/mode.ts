import type { MODES } from '@miftah/contract/values';

/**
 * The mode of the service, sent with every answer as `X-Auth-Mode`. `simulator`: an invented
 * provider inside this process. `live`: a real provider. `rehearsal`: live mode's rules, with a
 * simulator in another process as the provider.
 */
export type Mode = (typeof MODES)[number];
