import { render } from 'preact';
// Before anything reads the address.
import './platform/address-code.ts';
import { App } from './frame/app.tsx';
import { page } from './page.ts';
import './style/console.css';

render(<App />, page.element);
