import type { Page } from 'playwright-core'

/** Returns the accessibility properties of the widget's button, which page scripts cannot read. */
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
