/*
 * Runs in Deno. Removes all globals that are not listed here. Without permissions they could do no harm, but a
 * removed global does not have to be trusted.
 */

const LANGUAGE = `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise
  RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis
  JSON Math Intl Temporal ArrayBuffer SharedArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array
  Int32Array BigUint64Array BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt Set
  Iterator WeakMap WeakSet WeakRef Proxy Reflect FinalizationRegistry DisposableStack AsyncDisposableStack decodeURI
  decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN WebAssembly`
const WEB = `console queueMicrotask structuredClone atob btoa setTimeout clearTimeout setInterval clearInterval
  AbortController AbortSignal Blob File FormData Headers Request Response URL URLPattern URLSearchParams TextDecoder
  TextEncoder TextDecoderStream TextEncoderStream CompressionStream DecompressionStream Event EventTarget CustomEvent
  DOMException QuotaExceededError ErrorEvent MessageEvent PromiseRejectionEvent crypto Crypto CryptoKey SubtleCrypto
  performance Performance ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableByteStreamController WritableStream WritableStreamDefaultWriter
  WritableStreamDefaultController TransformStream TransformStreamDefaultController ByteLengthQueuingStrategy
  CountQueuingStrategy self`

/** Throws if an unlisted global cannot be removed. In this case, no tenant code may run. */
export function stripRealm(): void {
  const stays = new Set(`${LANGUAGE} ${WEB}`.split(/\s+/))
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (!stays.has(name) && !Reflect.deleteProperty(globalThis, name)) throw new Error(`${name} stays`)
}
