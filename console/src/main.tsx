import { render } from 'preact';
import { App } from './frame/app.tsx';
import { page } from './page.ts';
import './style/console.css';

render(<App />, page.element);
