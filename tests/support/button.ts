import type { Page } from 'playwright-core'

/**
 * Returns the accessibility properties of the widget's button, or null if there is no button. Page scripts cannot
 * read the properties, because the button is in a closed shadow tree.
 */
export async function buttonOf(
  page: Page,
): Promise<{ name: string; isExpanded: boolean; isFocused: boolean } | null> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  const button = nodes.find(({ role }) => role?.value === 'button')
  const property = (name: string) => button?.properties?.find((one) => one.name === name)?.value.value
  return button
    ? {
        name: button.name?.value,
        isExpanded: property('expanded') === true,
        isFocused: property('focused') === true,
      }
    : null
}
