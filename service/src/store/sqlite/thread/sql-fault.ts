import type { SqlFault } from './worker-protocol.ts';

export function faultOf(error: unknown): SqlFault {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null;
  return { code: typeof code === 'number' ? code : null, message };
}
