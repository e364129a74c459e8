/**
 * Words that say little about what a text is about, in the languages that most texts are in; in small letters, and
 * unstemmed. They are most of the words of a text, so that they would make all texts alike.
 */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [
    // English
    'a about above after again against all also am an and any are as at be because been before being below between both but by can cannot could did do does doing done down during each either else ever every few for from further get gets got had has have having he her here hers him his how however i if in into is it its itself just let may me might more most much must my neither no nor not now of off on once one only or other our ours out over own per s same shall she should since so some such t than that the their theirs them then there these they this those though through to too under until up upon us very was we were what whatever when where whether which while who whom whose why will with within without would you your yours',
    // German
    'aber alle als also am an auch auf aus bei bin bis da damit dann das dass dem den denn der des die dies diese dieser doch du durch ein eine einem einen einer eines er es für hat hatte ich ihr ihre im in ist ja kann kein keine man mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so über um und uns von vor war was wenn werden wie wir wird zu zum zur',
    // French
    'au aux avec ce ces cette comme dans de des du elle elles en est et eux il ils je la le les leur leurs lui mais me mes moi mon ne nos nous on ou où par pas plus pour qu que qui sa se ses si son sont sur ta te tes toi ton tu un une vos votre vous y à été être',
    // Spanish, Portuguese, Italian
    'al como con cual cuando del desde donde el ella ellos entre era es esta este esto ha hasta hay las lo los muy más ni nos o para pero por porque que quien se ser sin sobre su sus también una uno unos y ya não uma um os as dos das na no nas em foi mais che di della delle dei gli il nel nella non per sono',
  ].flatMap((words) => words.split(' ')),
)
