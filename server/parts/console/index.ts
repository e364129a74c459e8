export { type Console, type ConsolePlace, createConsole } from './console.ts'
export { registerConsole } from './serve-console.ts'
