import { defineConfig } from 'vite';

/** Makes one script and one style; `pages/` names them after their contents when it serves them. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // As docs/client.md says. Functions are not replaced: service/test/docs/oldest-browsers.test.ts finds them.
    target: ['chrome103', 'firefox102', 'safari16.0'],
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // Those of the libraries in the script, whose licences ask for it. The package has the file too.
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      input: 'src/main.tsx',
      output: {
        codeSplitting: false,
        entryFileNames: 'console.js',
        assetFileNames: 'console[extname]',
      },
    },
  },
});
