/**
 * An address that is safe in `href` and `action`: relative, http or https.
 * Every other address (`javascript:`, `data:`) becomes `#`.
 */
export function safeAddress(address: string): string {
  // The base has a reserved name; it is only needed to parse relative addresses.
  const url = URL.parse(address, 'http://base.invalid/');
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? address : '#';
}

/** As a policy names it: with its colon. */
export type ApplicationScheme = `${string}:`;

const APPLICATION = /^(?<scheme>[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+):\//;

/**
 * The scheme of an address that opens an application on the device instead of a page (RFC 8252
 * section 7.1); null for every other address. No scheme that a browser runs or reads has a dot.
 */
export function applicationScheme(address: string): ApplicationScheme | null {
  const scheme = APPLICATION.exec(address)?.groups?.['scheme'];
  return scheme === undefined ? null : `${scheme}:`;
}

/** What leads back to the application: a safe address, or one that opens it on the device. */
export function returnLink(address: string): string {
  return applicationScheme(address) === null ? safeAddress(address) : address;
}
