import {
  PROVIDER_NAME_KINDS,
  STORE_MODES,
  type ProviderName,
  type StoreBinding,
} from '../../../values/store-binding.ts';
import { RowReader } from './row-reader.ts';
import type { BindingRow, ProviderNameRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

export function bindingFromRow(row: SqlRow): StoreBinding {
  const read = new RowReader<BindingRow>('store_seal', row);
  const mode = read.oneOf('mode', STORE_MODES);
  if (mode === 'simulator') return { mode, provider: null };
  return {
    mode,
    provider: {
      url: read.text('provider_url'),
      pathPrefixes: [read.text('path_prefix')],
      issuers: [read.text('issuer')],
    },
  };
}

export function providerNameFromRow(row: SqlRow): ProviderName {
  const read = new RowReader<ProviderNameRow>('provider_names', row);
  return { kind: read.oneOf('kind', PROVIDER_NAME_KINDS), value: read.text('value') };
}

/** Without the other names of the provider: they have rows of their own. */
export function bindingToRow({ mode, provider }: StoreBinding): Omit<BindingRow, 'id'> {
  return {
    mode,
    provider_url: provider?.url ?? null,
    path_prefix: provider?.pathPrefixes[0] ?? null,
    issuer: provider?.issuers[0] ?? null,
  };
}
