import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { WatchList } from './server-definition.ts'

/** Passes the changes of a definition's lists to the stream of one `subscriptions/listen` request. */
export class Subscription {
  /** The source of changes for the SDK. It subscribes only if it honors a part of the client's filter. */
  readonly bus: ServerEventBus
  readonly #unwatch: () => void
  #notify: ((event: ServerEvent) => void) | undefined

  /** Throws the errors of `watch`. `onEnd` ends the stream. */
  constructor(watch: WatchList, onEnd: () => void) {
    this.#unwatch = watch({
      onChange: () => this.#notify?.({ kind: 'resources_list_changed' }),
      onEnd,
    })
    this.bus = {
      publish() {},
      subscribe: (listener) => {
        this.#notify = listener
        return this.#unwatch
      },
    }
  }

  /** Stops watching if the request opened no stream. */
  endUnused(): void {
    if (!this.#notify) this.#unwatch()
  }
}
