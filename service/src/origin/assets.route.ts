import { assets } from '@miftah/pages';
import type { Endpoint } from '../request/context.ts';

/**
 * The stylesheet and fonts of the pages. Their names change with their content, so caches never
 * ask.
 */
export const assetFiles: Endpoint = (app) => {
  for (const asset of assets) {
    app.route({
      method: 'GET',
      url: asset.path,
      handler: async (_, reply) =>
        reply
          .header('cache-control', 'public, max-age=31536000, immutable')
          .type(asset.contentType)
          .send(asset.read()),
    });
  }
};
