import type { AnyRouter } from '@tanstack/react-router'
import { type ComponentType, createElement, type ReactNode } from 'react'
import { type Level, loadText, translator } from '../messages/index.ts'
import { loadChunk } from '../ui/chunks.ts'

const t = translator('shell')

/** A screen with a chunk of its own. */
interface LateScreen {
  (): ReactNode
  /** Resolves when the screen is loaded, or no longer needed. Never rejects. */
  preload(): Promise<void> | undefined
}

/** The screens of the current navigation; `over` aborts when it ends. */
interface Navigation {
  screens: ReadonlySet<unknown>
  over: AbortController
}

type GetChunk = <Chunk>(load: () => Promise<Chunk>) => Promise<Chunk>

let navigation: Navigation | null = null

/**
 * Returns a screen that is loaded when it is first needed. Until then the current page stays, however long the chunks take.
 * A preload, as on hover, tries once and ignores failures. The router's own `lazyRouteComponent` reloads the page when a
 * chunk is missing, which destroys drafts.
 *
 * @param text the text that the screen needs
 */
export function lateScreen<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  { text = 'rest' }: { text?: Level } = {},
): LateScreen {
  let Screen: ComponentType | null = null
  const Late = () => {
    if (Screen === null) throw new Error(t('notLoaded'))
    return createElement(Screen)
  }
  Late.preload = () => {
    if (Screen !== null) return
    const signal = navigation?.screens.has(Late) ? navigation.over.signal : undefined
    const get: GetChunk = (chunk) => (signal ? loadChunk(chunk, signal) : chunk())
    return loadText(text, get)
      .then(() => get(load))
      .then(
        (chunk) => {
          Screen = chunk[name]
        },
        () => {},
      )
  }
  return Late
}

/** Tracks which screens the current navigation needs. */
export function followNavigations(router: AnyRouter): void {
  const end = (): void => {
    navigation?.over.abort()
    navigation = null
  }
  router.subscribe('onBeforeLoad', ({ toLocation }) => {
    end()
    const [matchedRoutes] = router.getMatchedRoutes(toLocation.pathname)
    const screens = new Set(matchedRoutes.map(({ options }) => options.component))
    navigation = { screens, over: new AbortController() }
  })
  router.subscribe('onLoad', end)
}
