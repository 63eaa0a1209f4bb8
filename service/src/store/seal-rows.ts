import { STORE_MODES, type StoreSeal } from '../domain/store-seal.ts';
import { RowReader } from './row-reader.ts';
import type { SealRow } from './schema.ts';
import type { SqlRow } from './statement.ts';

export function sealFromRow(row: SqlRow): StoreSeal {
  const read = new RowReader<SealRow>('store_seal', row);
  const mode = read.oneOf('mode', STORE_MODES);
  if (mode === 'simulator') return { mode, provider: null };
  const url = read.text('provider_url');
  const provider = { url, pathPrefix: read.text('path_prefix'), issuer: read.text('issuer') };
  return { mode, provider };
}

export function sealToRow({ mode, provider }: StoreSeal): Omit<SealRow, 'id'> {
  return {
    mode,
    provider_url: provider?.url ?? null,
    path_prefix: provider?.pathPrefix ?? null,
    issuer: provider?.issuer ?? null,
  };
}
