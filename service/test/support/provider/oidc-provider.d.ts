/** Types for the part of the package that the tests use; it has none of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Claims = Readonly<Record<string, unknown>>;

  export class Provider {
    constructor(issuer: string, configuration: Claims);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly prompt: { readonly name: string } }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Claims,
    ): Promise<void>;
    Grant: new (properties: Claims) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
  }
}
