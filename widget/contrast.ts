/** A color in the form `#rrggbb`. */
export type Color = string

/** Returns black or white, whichever has more contrast with the background: at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const textOn = (background: Color): Color =>
  contrast('#ffffff', background) >= contrast('#000000', background) ? '#ffffff' : '#000000'

/** Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/**
 * Mixes a color with black or white until its contrast with the background is at least `ratio`. Returns black or
 * white if no mixture reaches the ratio.
 */
export function readableOn(background: Color, color: Color, ratio: number): Color {
  const target = textOn(background)
  for (let share = 0; share < 1; share += MIXING_STEP) {
    const mixed = mix(color, target, share)
    if (contrast(mixed, background) >= ratio) return mixed
  }
  return target
}

const MIXING_STEP = 0.05

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(from: Color, to: Color, share: number): Color {
  const target = channels(to)
  const mixed = channels(from).map((channel, index) =>
    Math.round(channel + ((target[index] ?? 0) - channel) * share),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

const channels = (color: Color): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))
