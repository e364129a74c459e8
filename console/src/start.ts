import { currentLanguage } from './messages/languages.ts'
import { showFrame } from './shell/frame.ts'
import { showTheme } from './ui/theme.ts'

/*
 * The first script of the page. It shows the page's frame and then loads the console, whose scripts take much longer
 * than a paint. Meanwhile, the browser loads the first screen and its messages.
 */

showTheme()
showFrame()

/** Vite's development server has no such element: the page loads the console itself. */
const script = document.querySelector<HTMLLinkElement>('link#script')
if (script) {
  const next = JSON.parse(script.dataset['next'] ?? '{}') as Record<string, string[]>
  const frame = document.documentElement.dataset['frame'] ?? ''
  for (const href of [...(next[frame] ?? []), ...(next[`${currentLanguage()} ${frame}`] ?? [])])
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'modulepreload', crossOrigin: '', href }),
    )
  const load = (): unknown => import(/* @vite-ignore */ script.href)
  // Hidden pages are not painted, so they load immediately.
  if (document.hidden) load()
  else requestAnimationFrame(() => setTimeout(load))
}
