/**
 * An address that is safe in `href` and `action`: relative, http or https.
 * Anything else (`javascript:`, `data:`) becomes `#`, which leads nowhere.
 */
export function safeAddress(address: string): string {
  // A base with a reserved name: it only makes relative addresses parseable.
  const url = URL.parse(address, 'http://base.invalid/');
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? address : '#';
}
