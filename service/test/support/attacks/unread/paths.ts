/**
 * One path per kind of answer: small and large, fixed and generated, from every part of the
 * service.
 */
export const PIPELINED_PATHS = [
  '/',
  '/livez',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/docs/start.js',
  '/docs/reader.js',
  '/errors',
  '/errors/rate_limited',
  '/dashboard',
  '/nowhere',
  '/api/v1/user',
  '/api/v1/tokens',
  '/api/v1/status/0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
  '/api/v1/callback?state=0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
  '/simulator/people',
  '/simulator/openapi.json',
  '/stg/api/v2/oidc/session?locale=en&requestId=0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b',
  '/stg/api/v1/mfa/jwk',
  '/authservice/authorize',
] as const;
