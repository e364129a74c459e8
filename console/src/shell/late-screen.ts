import type { AnyRouter } from '@tanstack/react-router'
import { type ComponentType, createElement, type ReactNode } from 'react'
import { type Level, loadText, translator } from '../messages/index.ts'
import { loadChunk } from '../ui/chunks.ts'

const t = translator('shell')

/** A screen in a separate chunk. */
interface LateScreen {
  (): ReactNode
  /**
   * Loads the screen. Resolves when the screen is loaded, or when the navigation that needs it has ended. Never
   * rejects.
   */
  preload(): Promise<void> | undefined
}

/** A navigation in progress and the screens that it needs. `over` aborts when the navigation ends. */
interface Navigation {
  screens: ReadonlySet<unknown>
  over: AbortController
}

type GetChunk = <Chunk>(load: () => Promise<Chunk>) => Promise<Chunk>

let navigation: Navigation | null = null

/**
 * Returns a screen that loads when a navigation needs it. Until then, the current page stays visible, and missing
 * chunks are retried. A preload, for example on hover, tries once and ignores failures.
 *
 * The router's own `lazyRouteComponent` would reload the page when a chunk is missing, which destroys drafts.
 *
 * @param text the level of messages that the screen needs
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
    return Promise.all([get(load), loadText(text, get)]).then(
      ([chunk]) => {
        Screen = chunk[name]
      },
      () => {},
    )
  }
  return Late
}

/** Starts loading the screen of a path before the router does. */
export function loadScreen(router: AnyRouter, pathname: string): void {
  for (const { options } of router.getMatchedRoutes(pathname)[0])
    (options.component as Partial<LateScreen> | undefined)?.preload?.()
}

/** Records which screens the current navigation needs. */
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
