/** Constants that the peer and its load generator share. */

/** One client per signature algorithm of ID tokens; RS256 is the package's default. */
export const CLIENTS = { RS256: 'bench-rs256', ES256: 'bench-es256' } as const;
export type Algorithm = keyof typeof CLIENTS;

export const SECRET = 'a secret of the benchmark that opens nothing else';
export const RETURN_ADDRESS = 'https://app.example.test/return';
export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';
export const ACCOUNT = 'person-1';
