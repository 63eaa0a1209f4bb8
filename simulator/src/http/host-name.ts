/** The name in a Host header, lower case and without the port; null when it is no host. */
export function hostNameOf(host: string): string | null {
  // Anything else would let a URL parser find a path, a user or a query in it.
  if (!/^[a-zA-Z0-9._:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname;
}

/** Names and addresses that can only mean this machine. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
