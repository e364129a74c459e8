import type { Page } from 'playwright-core'

/** A rectangle in the page, in pixels from its corner at the top left. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

interface WidgetButton {
  name: string
  isExpanded: boolean
  isFocused: boolean
}

/**
 * Returns the accessibility properties of the widget's button, or null if there is no button. Page scripts cannot
 * read the properties, because the button is in a closed shadow tree.
 */
export async function buttonOf(page: Page): Promise<WidgetButton | null> {
  const [first] = await buttonsOf(page)
  if (!first) return null
  const { box: _, ...button } = first
  return button
}

/** Returns the buttons of the page in its order, with their places. */
export async function buttonsOf(page: Page): Promise<(WidgetButton & { box: Box })[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const buttons = nodes.filter(({ role }) => role?.value === 'button')
  return Promise.all(
    buttons.map(async ({ name, properties, backendDOMNodeId: backendNodeId }) => {
      const property = (wanted: string) => properties?.find((one) => one.name === wanted)?.value.value
      const { model } = await session.send('DOM.getBoxModel', { ...(backendNodeId && { backendNodeId }) })
      const [left = 0, top = 0, , , right = 0, bottom = 0] = model.border
      return {
        name: name?.value,
        isExpanded: property('expanded') === true,
        isFocused: property('focused') === true,
        box: { left, top, right, bottom },
      }
    }),
  )
}
