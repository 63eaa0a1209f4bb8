import { FLOWS } from '@miftah/contract/values';

export { FLOWS };

/** `oidc`: by browser redirect. `mfa`: by a push to the person's phone. */
export type Flow = (typeof FLOWS)[number];

/** A value for each flow. */
export type ByFlow<Value> = Readonly<Record<Flow, Value>>;
