export const FLOWS = ['oidc', 'mfa'] as const;

/** `oidc`: by browser redirect. `mfa`: by a push to the person's phone. */
export type Flow = (typeof FLOWS)[number];
