import { STORE_MODES, type StoreBinding } from '../../../domain/store-binding.ts';
import { RowReader } from './row-reader.ts';
import type { BindingRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

export function bindingFromRow(row: SqlRow): StoreBinding {
  const read = new RowReader<BindingRow>('store_seal', row);
  const mode = read.oneOf('mode', STORE_MODES);
  if (mode === 'simulator') return { mode, provider: null };
  const url = read.text('provider_url');
  const provider = { url, pathPrefix: read.text('path_prefix'), issuer: read.text('issuer') };
  return { mode, provider };
}

export function bindingToRow({ mode, provider }: StoreBinding): Omit<BindingRow, 'id'> {
  return {
    mode,
    provider_url: provider?.url ?? null,
    path_prefix: provider?.pathPrefix ?? null,
    issuer: provider?.issuer ?? null,
  };
}
