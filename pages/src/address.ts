/**
 * An address that is safe in `href` and `action`: relative, http or https.
 * Every other address (`javascript:`, `data:`) becomes `#`.
 */
export function safeAddress(address: string): string {
  // The base has a reserved name; it is only needed to parse relative addresses.
  const url = URL.parse(address, 'http://base.invalid/');
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? address : '#';
}
