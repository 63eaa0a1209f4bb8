import type { AppBench } from './apps.ts';

const FAULTS = '/simulator/faults';

type Row = Readonly<Record<string, unknown>>;

export const put = ({ app }: Pick<AppBench, 'app'>, payload: unknown, headers = {}) =>
  app.inject({ method: 'PUT', url: FAULTS, payload: payload as object, headers });

export async function listed(
  { app }: Pick<AppBench, 'app'>,
  headers = {},
): Promise<readonly Row[]> {
  return (await app.inject({ url: FAULTS, headers })).json<{ data: Row[] }>().data;
}
