/** As much of the package as the benchmark uses beyond what the service's tests declare. */
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
