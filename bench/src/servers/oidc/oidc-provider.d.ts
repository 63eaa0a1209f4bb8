/**
 * Types for the part of the package that the benchmark uses, in addition to those that the
 * service's tests declare.
 */
declare module 'oidc-provider' {
  interface BackchannelRequest {
    readonly accountId: string;
    readonly clientId: string;
  }

  interface Provider {
    readonly BackchannelAuthenticationRequest: {
      find(id: string): Promise<BackchannelRequest | undefined>;
    };
    backchannelResult(request: BackchannelRequest, grant: string): Promise<void>;
    on(event: 'server_error', listener: (context: unknown, error: Error) => void): void;
  }
}
