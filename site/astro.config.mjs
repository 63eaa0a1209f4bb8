// The settings of the site. Where it will be (`--base`), and where it is written (`--outDir`), is
// said by site/build.ts.

import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { readPages } from './content/pages.ts';
import { sidebarOf } from './content/sidebar.ts';

export default defineConfig({
  trailingSlash: 'always',
  devToolbar: { enabled: false },
  // The pictures of the documents are small already.
  image: { service: passthroughImageService() },
  // GitHub shows what is written, and makes its anchors of that.
  markdown: { processor: satteri({ features: { smartPunctuation: false } }) },
  integrations: [
    starlight({
      title: { ar: 'مفتاح', en: 'Miftah' },
      logo: { src: '../pages/src/key.svg', alt: '' },
      favicon: '/key.svg',
      defaultLocale: 'en',
      locales: {
        ar: { label: 'العربية', lang: 'ar', dir: 'rtl' },
        en: { label: 'English', lang: 'en' },
      },
      sidebar: sidebarOf(readPages()),
      customCss: ['./src/styles/fonts.css', './src/styles/site.css'],
      components: { FallbackContentNotice: './src/components/FallbackContentNotice.astro' },
      expressiveCode: { styleOverrides: { borderRadius: '0.5rem' } },
      pagefind: true,
    }),
  ],
});
