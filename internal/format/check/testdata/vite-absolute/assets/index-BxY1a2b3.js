const a="/assets/react-CHdo91hT.svg";document.body.onclick=()=>{};
