/**
 * Function words by language, in lowercase and unstemmed. Function words are frequent in every text, so they identify
 * its language. The built-in embedding gives them a low weight, because they would make all texts similar.
 *
 * Stored vectors depend on exactly these words. Words that only help to detect languages are in languages.ts.
 */
export const FUNCTION_WORDS = {
  english: wordsOf(
    'a about above after again against all also am an and any are as at be because been before being below between both but by can cannot could did do does doing done down during each either else ever every few for from further get gets got had has have having he her here hers him his how however i if in into is it its itself just let may me might more most much must my neither no nor not now of off on once one only or other our ours out over own per s same shall she should since so some such t than that the their theirs them then there these they this those though through to too under until up upon us very was we were what whatever when where whether which while who whom whose why will with within without would you your yours',
  ),
  german: wordsOf(
    'aber alle als also am an auch auf aus bei bin bis da damit dann das dass dem den denn der des die dies diese dieser doch du durch ein eine einem einen einer eines er es für hat hatte ich ihr ihre im in ist ja kann kein keine man mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so über um und uns von vor war was wenn werden wie wir wird zu zum zur',
  ),
  french: wordsOf(
    'au aux avec ce ces cette comme dans de des du elle elles en est et eux il ils je la le les leur leurs lui mais me mes moi mon ne nos nous on ou où par pas plus pour qu que qui sa se ses si son sont sur ta te tes toi ton tu un une vos votre vous y à été être',
  ),
  spanish: wordsOf(
    'al como con cual cuando de del desde donde el ella ellos en entre era es esta este esto ha hasta hay la las le lo los me muy más ni no nos o para pero por porque que quien se ser si sin sobre su sus también te tu un una uno unos y ya',
  ),
  portuguese: wordsOf(
    'a as como da das de do dos em entre era es foi mais me na nas no nos o os ou para por porque que se ser sobre te tu um uma não',
  ),
  italian: wordsOf(
    'al che con da dei del della delle di era gli i il in la le lo ne nel nella no non o per se si sono su tu un una uno',
  ),
} satisfies Record<string, ReadonlySet<string>>

function wordsOf(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
