/** A style that is imported becomes part of the console's stylesheet. */
declare module '*.css';
