/**
 * The name in a Host header, in lower case and without the port; null when it is not a valid host.
 */
export function hostNameOf(host: string): string | null {
  // Other characters could make a URL parser find a path, a user or a query in the text.
  if (!/^[a-zA-Z0-9._:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname;
}

/** Whether a name or address can only mean this machine. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
