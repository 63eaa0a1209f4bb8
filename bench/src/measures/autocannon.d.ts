/** Types for the part of the package that the benchmark uses; it has none of its own. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly connections: number;
    readonly duration: number;
  }

  export default function autocannon(
    options: Options,
  ): Promise<{ readonly requests: { readonly average: number } }>;
}
