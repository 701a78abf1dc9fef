function createUnityInstance(){}
