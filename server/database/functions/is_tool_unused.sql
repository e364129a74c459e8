-- Whether no agent has a tool, of any organization. A tenant may ask this, and learns no more.
CREATE OR REPLACE FUNCTION public.is_tool_unused(tool uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT NOT EXISTS (SELECT FROM agent_tools WHERE tool_id = tool)
$function$;
