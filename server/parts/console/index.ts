export { type Console, type ConsoleSource, createConsole } from './console.ts'
export { registerConsole } from './serve-console.ts'
